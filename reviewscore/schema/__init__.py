"""Values that cross a border (disk, model, network), one module a noun."""

"""Values that cross a border (disk, model, network); front door: the modules by noun."""

"""Values in, HTML out: the templates, components, style and policy that all pages share."""

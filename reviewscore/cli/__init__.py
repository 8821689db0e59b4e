"""The command line, one module per verb. Front door: `main.main`."""

"""The command line, one module per verb. Entry point: `main.main`."""

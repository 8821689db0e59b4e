"""The folder of one run: manifest, records, calls, resume, export. Front door: `run_dir.RunDir`."""

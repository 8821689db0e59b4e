"""Work on many processes and machines, by Ray. Front door: `engine.crew.Crew`."""

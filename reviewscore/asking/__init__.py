"""Having models write or label many texts: a folder, a session, rows. Front: `session`."""

"""What reviews look at, and what they overlook. Front door: `profile.profile_systems`."""

"""What reviews look at, and what they overlook. Entry point: `profile.profile_systems`."""

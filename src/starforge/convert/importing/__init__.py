"""From an upstream launch to an experiment: recognise it, read its settings, place them."""

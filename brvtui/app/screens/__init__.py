"""Full-screen views and modals, one a file."""

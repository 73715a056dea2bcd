"""The guided tour of the sample: six steps over the real screens, from a wrong answer to its fix."""

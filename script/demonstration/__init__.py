"""What `script/demo` does once there is a virtual environment."""

package client

import "os"

// Process is that of the worker.
func (c *Client) Process() *os.Process { return c.cmd.Process }

package pdfa

func (c *checker) accessible() {}

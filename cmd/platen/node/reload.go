package node

// Reload reads the certificates again, of the API and of the cluster, if their files have changed, as the
// node does by itself some time later, and logs until when they are good. Those that cannot be used are
// logged, and the ones before stay.
func (n *Node) Reload() {
	if n.certificate == nil && n.cfg.Cluster.CertFile == "" {
		n.logger.Info("reloaded: there are no certificates to read")
	}
	if n.certificate != nil {
		n.certificate.look()
		n.logger.Info("reloaded: the certificate of the API", "expires", n.certificate.expires())
	}
	if n.identity != nil && n.cfg.Cluster.CertFile != "" {
		n.logger.Info("reloaded: the certificate of the cluster", "expires", n.identity.Expires())
	}
}

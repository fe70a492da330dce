package node

import (
	"log/slog"

	"platen.dev/actors/cluster/pki"
)

// Reload reads the certificates again, of the API and of the cluster, if their files have changed, as the
// node does by itself some time later, and logs until when they are good. Those that cannot be used are
// logged, and the ones before stay.
func (n *Node) Reload() { reload(n.logger, n.network.front.certificate(), n.network.identity) }

func reload(logger *slog.Logger, api *certificate, identity *pki.Identity) {
	if api == nil && identity == nil {
		logger.Info("reloaded: there are no certificates to read")
	}
	if api != nil {
		api.look()
		logger.Info("reloaded: the certificate of the API", "expires", api.expires())
	}
	if identity != nil {
		logger.Info("reloaded: the certificate of the cluster", "expires", identity.Expires())
	}
}

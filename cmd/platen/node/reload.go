package node

import (
	"log/slog"

	"platen.dev/actors/cluster/pki"
)

// Reload rereads the certificates of the API and of the cluster, if their files have changed, which the
// node would also do some time later, and logs when they expire. Unusable ones are logged, and the
// previous ones stay.
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

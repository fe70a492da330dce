package node

import (
	"log/slog"
	"time"

	"platen.dev/actors/cluster/pki"
)

// Reload rereads the certificates of the API and of the cluster, if their files have changed, which the
// node would also do some time later, and logs when they expire. Unusable ones are logged as errors, and the
// previous ones stay.
func (n *Node) Reload() { reload(n.logger, n.network.front.certificate(), n.network.identity) }

func reload(logger *slog.Logger, api *certificate, identity *pki.Identity) {
	if api == nil && identity == nil {
		logger.Info("reloaded: there are no certificates to read")
	}
	if api != nil {
		logReloaded(logger, "the certificate of the API", api.look(), api.expires)
	}
	if identity != nil {
		logReloaded(logger, "the certificate of the cluster", identity.Check(), identity.Expires)
	}
}

func logReloaded(logger *slog.Logger, what string, wrong error, expires func() time.Time) {
	if wrong != nil {
		logger.Error("not reloaded: "+what+" is unusable, so the previous one stays, but the next start will fail", "error", wrong, "expires", expires())
		return
	}
	logger.Info("reloaded: "+what, "expires", expires())
}

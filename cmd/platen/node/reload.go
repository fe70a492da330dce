package node

import "reflect"

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

// Changed returns the names of the settings that differ from those of another configuration, as
// section.name.
func (c Config) Changed(other Config) []string {
	return changed("", reflect.ValueOf(c), reflect.ValueOf(other))
}

func changed(section string, a, b reflect.Value) (names []string) {
	for i := range a.NumField() {
		name := section + a.Type().Field(i).Tag.Get("toml")
		switch {
		case a.Field(i).Kind() == reflect.Struct:
			names = append(names, changed(name+".", a.Field(i), b.Field(i))...)
		case a.Field(i).Kind() == reflect.Slice && a.Field(i).Len() == 0 && b.Field(i).Len() == 0: // nil or not
		case !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()):
			names = append(names, name)
		}
	}
	return names
}

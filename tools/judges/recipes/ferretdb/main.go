// Runs FerretDB over SQLite in the working directory, on a free port of this machine. With the files of a certificate and its key,
// it accepts only TLS.
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/url"
	"os"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func listener(files []string) ferretdb.ListenerConfig {
	if len(files) < 2 {
		return ferretdb.ListenerConfig{TCP: "127.0.0.1:0"}
	}
	return ferretdb.ListenerConfig{TLS: "127.0.0.1:0", TLSCertFile: files[0], TLSKeyFile: files[1]}
}

func main() {
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  listener(os.Args[1:]),
		Handler:   "sqlite",
		SQLiteURL: "file:./",
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		uri, err := url.Parse(server.MongoDBURI())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("listening on %s\n", uri.Host)
	}()
	if err := server.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// Checks transactions and change streams with the Go driver, on the deployment of the environment variable MONGODB_URI.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

const (
	noLog      = "a standalone server has no oplog"
	noStepDown = "only a member of a replica set can step down"
)

var (
	topology = os.Getenv("TOPOLOGY")
	isSet    = strings.HasPrefix(topology, "replicaset")
	hasLog   = topology != "standalone"
)

// deployment holds the client and the database of the checks.
type deployment struct {
	client *mongo.Client
	db     *mongo.Database
}

type work func(ctx context.Context, d deployment, c *mongo.Collection) error

// check runs a check and prints one line: passed, failed or skipped, the name, and the reason.
func check(d deployment, possible bool, reason, name, collection string, do work) {
	if !possible {
		fmt.Printf("skipped %s: %s\n", name, reason)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 45*time.Second)
	defer cancel()
	c := d.db.Collection(collection)
	err := c.Drop(ctx)
	if err == nil {
		err = d.db.CreateCollection(ctx, collection)
	}
	if err == nil {
		err = do(ctx, d, c)
	}
	if err != nil {
		fmt.Printf("failed %s: %s\n", name, strings.SplitN(err.Error(), "\n", 2)[0])
		return
	}
	fmt.Printf("passed %s\n", name)
}

func equal(found, expected any) error {
	if reflect.DeepEqual(found, expected) {
		return nil
	}
	return fmt.Errorf("found %v, expected %v", found, expected)
}

// stepDown makes the primary step down, which may close the connection before its reply. It first waits until members that stepped
// down before can be elected again.
func stepDown(ctx context.Context, d deployment) error {
	time.Sleep(1100 * time.Millisecond)
	command := bson.D{{Key: "replSetStepDown", Value: 1}, {Key: "force", Value: true}}
	err := d.client.Database("admin").RunCommand(ctx, command).Err()
	if err == nil || mongo.IsNetworkError(err) || strings.Contains(strings.ToLower(err.Error()), "not primary") {
		return nil
	}
	return err
}

func id(n int32) bson.D { return bson.D{{Key: "_id", Value: n}} }

func increment() bson.D { return bson.D{{Key: "$inc", Value: bson.D{{Key: "n", Value: 1}}}} }

func counted(ctx context.Context, c *mongo.Collection, expected int64) error {
	n, err := c.CountDocuments(ctx, bson.D{})
	return errors.Join(err, equal(n, expected))
}

func commits(ctx context.Context, d deployment, c *mongo.Collection) error {
	return d.client.UseSession(ctx, func(inside context.Context) error {
		session := mongo.SessionFromContext(inside)
		if err := session.StartTransaction(); err != nil {
			return err
		}
		if _, err := c.InsertOne(inside, id(1)); err != nil {
			return err
		}
		if err := errors.Join(counted(inside, c, 1), counted(ctx, c, 0)); err != nil {
			return err
		}
		if err := errors.Join(session.CommitTransaction(inside), session.CommitTransaction(inside)); err != nil {
			return err
		}
		return counted(ctx, c, 1)
	})
}

func aborts(ctx context.Context, d deployment, c *mongo.Collection) error {
	return d.client.UseSession(ctx, func(inside context.Context) error {
		session := mongo.SessionFromContext(inside)
		if err := session.StartTransaction(); err != nil {
			return err
		}
		if _, err := c.InsertOne(inside, id(1)); err != nil {
			return err
		}
		if err := session.AbortTransaction(inside); err != nil {
			return err
		}
		return counted(ctx, c, 0)
	})
}

func conflicts(ctx context.Context, d deployment, c *mongo.Collection) error {
	if _, err := c.InsertOne(ctx, id(1)); err != nil {
		return err
	}
	return d.client.UseSession(ctx, func(one context.Context) error {
		return d.client.UseSession(ctx, func(two context.Context) error {
			first, second := mongo.SessionFromContext(one), mongo.SessionFromContext(two)
			if err := errors.Join(first.StartTransaction(), second.StartTransaction()); err != nil {
				return err
			}
			if _, err := c.UpdateOne(one, id(1), increment()); err != nil {
				return err
			}
			_, err := c.UpdateOne(two, id(1), increment())
			var refused mongo.ServerError
			if !errors.As(err, &refused) {
				return fmt.Errorf("no error of the server: %w", err)
			}
			return errors.Join(
				equal(refused.HasErrorCode(112), true),
				equal(refused.HasErrorLabel("TransientTransactionError"), true),
				first.CommitTransaction(one),
				second.AbortTransaction(two),
			)
		})
	})
}

func failsOver(ctx context.Context, d deployment, c *mongo.Collection) error {
	if _, err := c.InsertOne(ctx, bson.D{{Key: "_id", Value: "sum"}, {Key: "n", Value: 0}}); err != nil {
		return err
	}
	session, err := d.client.StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	attempts := 0
	_, err = session.WithTransaction(ctx, func(inside context.Context) (any, error) {
		attempts++
		if _, err := c.InsertOne(inside, bson.D{{Key: "attempt", Value: attempts}}); err != nil {
			return nil, err
		}
		if attempts == 1 {
			if err := stepDown(ctx, d); err != nil {
				return nil, err
			}
		}
		return c.UpdateOne(inside, bson.D{{Key: "_id", Value: "sum"}}, increment())
	})
	if err != nil {
		return err
	}
	var sum struct{ N int }
	err = c.FindOne(ctx, bson.D{{Key: "_id", Value: "sum"}}).Decode(&sum)
	return errors.Join(err, equal(sum.N, 1), equal(attempts > 1, true), counted(ctx, c, 2))
}

func retries(ctx context.Context, d deployment, c *mongo.Collection) error {
	for n := range 20 {
		if n == 10 {
			if err := stepDown(ctx, d); err != nil {
				return err
			}
		}
		if _, err := c.UpdateOne(ctx, id(1), increment(), options.UpdateOne().SetUpsert(true)); err != nil {
			return err
		}
	}
	var doc struct{ N int }
	err := c.FindOne(ctx, id(1)).Decode(&doc)
	return errors.Join(err, equal(doc.N, 20))
}

// change holds the checked fields of a change event.
type change struct {
	OperationType string `bson:"operationType"`
	FullDocument  bson.D `bson:"fullDocument"`
}

func next(ctx context.Context, stream *mongo.ChangeStream) (change, error) {
	var found change
	if !stream.Next(ctx) {
		return found, fmt.Errorf("the stream ended: %w", stream.Err())
	}
	return found, stream.Decode(&found)
}

func nextIsInsert(ctx context.Context, stream *mongo.ChangeStream, n int32) error {
	found, err := next(ctx, stream)
	return errors.Join(err, equal(found, change{OperationType: "insert", FullDocument: id(n)}))
}

func returnsChanges(ctx context.Context, _ deployment, c *mongo.Collection) error {
	stream, err := c.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetFullDocument(options.UpdateLookup))
	if err != nil {
		return err
	}
	defer stream.Close(ctx)
	_, inserting := c.InsertOne(ctx, id(1))
	_, updating := c.UpdateOne(ctx, id(1), increment())
	_, replacing := c.ReplaceOne(ctx, id(1), bson.D{{Key: "m", Value: 3}})
	_, deleting := c.DeleteOne(ctx, id(1))
	if err := errors.Join(inserting, updating, replacing, deleting); err != nil {
		return err
	}
	for _, expected := range []string{"insert", "update", "replace", "delete"} {
		found, err := next(ctx, stream)
		if err := errors.Join(err, equal(found.OperationType, expected)); err != nil {
			return err
		}
	}
	return nil
}

func resumes(ctx context.Context, _ deployment, c *mongo.Collection) error {
	first, err := c.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		return err
	}
	if _, err := c.InsertMany(ctx, []bson.D{id(1), id(2), id(3)}); err != nil {
		return err
	}
	if err := nextIsInsert(ctx, first, 1); err != nil {
		return err
	}
	token := first.ResumeToken()
	if err := first.Close(ctx); err != nil {
		return err
	}
	second, err := c.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetResumeAfter(token))
	if err != nil {
		return err
	}
	defer second.Close(ctx)
	return errors.Join(nextIsInsert(ctx, second, 2), nextIsInsert(ctx, second, 3))
}

func ends(ctx context.Context, _ deployment, c *mongo.Collection) error {
	stream, err := c.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		return err
	}
	defer stream.Close(ctx)
	if err := c.Drop(ctx); err != nil {
		return err
	}
	for _, expected := range []string{"drop", "invalidate"} {
		found, err := next(ctx, stream)
		if err := errors.Join(err, equal(found.OperationType, expected)); err != nil {
			return err
		}
	}
	return nil
}

func survives(ctx context.Context, d deployment, c *mongo.Collection) error {
	stream, err := c.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		return err
	}
	defer stream.Close(ctx)
	if _, err := c.InsertOne(ctx, id(1)); err != nil {
		return err
	}
	if err := errors.Join(nextIsInsert(ctx, stream, 1), stepDown(ctx, d)); err != nil {
		return err
	}
	if _, err := c.InsertOne(ctx, id(2)); err != nil {
		return err
	}
	return nextIsInsert(ctx, stream, 2)
}

func main() {
	settings := options.Client().ApplyURI(os.Getenv("MONGODB_URI")).SetWriteConcern(writeconcern.Majority())
	client, err := mongo.Connect(settings.SetHeartbeatInterval(500 * time.Millisecond))
	if err != nil {
		panic(err)
	}
	d := deployment{client: client, db: client.Database("peers")}
	check(d, hasLog, noLog, "a transaction is invisible before its commit and visible afterwards", "txn", commits)
	check(d, hasLog, noLog, "an aborted transaction leaves no changes", "abort", aborts)
	check(d, hasLog, noLog, "the second of two conflicting transactions gets a TransientTransactionError", "conflict", conflicts)
	check(d, isSet, noStepDown, "a transaction with a step-down is carried out once", "failover", failsOver)
	check(d, isSet, noStepDown, "writes continue after a step-down, each carried out once", "retried", retries)
	check(d, hasLog, noLog, "a change stream returns inserts, updates, replacements and deletes", "watched", returnsChanges)
	check(d, hasLog, noLog, "a resumed change stream continues after its token", "resumed", resumes)
	check(d, hasLog, noLog, "a change stream ends after its collection is dropped", "dropped", ends)
	check(d, isSet, noStepDown, "a change stream continues after a step-down", "survived", survives)
	if err := client.Disconnect(context.Background()); err != nil {
		panic(err)
	}
	fmt.Println("done")
}

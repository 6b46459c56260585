// Spans of OpenTelemetry's instrumentation of the driver.
'use strict';
const { NodeTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-node');
const { MongoDBInstrumentation } = require('@opentelemetry/instrumentation-mongodb');
const { context, trace } = require('@opentelemetry/api');
const { uri, step, done, thrownBy } = require('./report.cjs');

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
const instrumentation = new MongoDBInstrumentation({ enhancedDatabaseReporting: true });
instrumentation.setTracerProvider(provider);
instrumentation.enable();
const { MongoClient } = require('mongodb');

(async () => {
  const client = await MongoClient.connect(uri);
  const films = client.db('traced').collection('films');
  await films.drop();
  exporter.reset();
  const tracer = trace.getTracer('program');
  await tracer.startActiveSpan('root', async root => {
    await films.insertOne({ _id: 1, title: 'One' });
    await films.find({ title: 'One' }).toArray();
    await films.updateOne({ _id: 1 }, { $set: { title: 'Two' } });
    await films.deleteOne({ _id: 1 });
    await films.aggregate([{ $match: {} }]).toArray();
    await thrownBy(() => client.db('traced').command({ nope: 1 }));
    root.end();
  });
  await step('spans', () => {
    const spans = exporter.getFinishedSpans();
    const root = spans.find(({ name }) => name === 'root');
    return spans.map(({ name, kind, status, attributes, parentSpanContext }) => ({
      name,
      kind,
      status: status.code,
      operation: attributes['db.operation'] ?? attributes['db.operation.name'],
      collection: attributes['db.mongodb.collection'] ?? attributes['db.collection.name'],
      isChild: parentSpanContext?.spanId === root.spanContext().spanId,
    }));
  });
  await step('no spans without a parent', async () => {
    exporter.reset();
    await films.findOne();
    return exporter.getFinishedSpans().length;
  });
  await client.close();
  void context;
  done();
})();

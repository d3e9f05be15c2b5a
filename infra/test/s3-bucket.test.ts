import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBucket } from '../src/adapters/s3/bucket.ts';
import { createS3Client } from '../src/adapters/s3/client.ts';
import { ConfigurationError } from '../src/service/config.ts';
import { createLogger } from '../src/service/logger.ts';

const LISTING = '<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>';
const VERSIONS = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
/** A rule for files with a tag. The store of `versioned-bucket.s3.test.ts` does not save the tag of a rule. */
const TAGGED =
  '<LifecycleConfiguration><Rule><Status>Enabled</Status><Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter>' +
  '<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration></Rule>' +
  '</LifecycleConfiguration>';
const DENIED = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
const UNKNOWN = '<Error><Code>NotImplemented</Code><Message>Not implemented</Message></Error>';
const NOT_ALLOWED = '<Error><Code>MethodNotAllowed</Code><Message>Not allowed</Message></Error>';
const INVALID = '<Error><Code>InvalidArgument</Code><Message>Invalid argument</Message></Error>';
const UNSUPPORTED = [
  [501, UNKNOWN],
  [405, NOT_ALLOWED],
] as const;

/** Responses of the server by the setting that a request reads. Other requests receive an empty listing. */
let responses: Readonly<Record<string, readonly [number, string]>> = {};
let server: Server;
beforeAll(async () => {
  server = createServer((req, res) => {
    const setting = Object.keys(responses).find((name) => (req.url ?? '').includes(`?${name}`));
    const [status, body] = responses[setting ?? ''] ?? [200, LISTING];
    res.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

const check = () => {
  const config = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    bucket: 'alpenglow',
    accessKeyId: 'a',
    secretAccessKey: 'b',
  };
  return ensureBucket(createS3Client(config, { maxSockets: 2, log: createLogger('silent') }), config.bucket);
};

test.each([
  ['versions', { versioning: [403, DENIED] }],
  ['lifecycle rules', { versioning: [200, VERSIONS], lifecycle: [403, DENIED] }],
] as const)('a key that may not read the %s of its bucket is rejected with the missing permissions', async (_, map) => {
  responses = map;
  await expect(check()).rejects.toThrow(ConfigurationError);
  await expect(check()).rejects.toThrow(/s3:GetBucketVersioning and s3:GetLifecycleConfiguration/u);
});

test.each(UNSUPPORTED)(
  'a store that does not support versions and responds with %i is accepted',
  async (...response) => {
    responses = { versioning: response };
    await check();
  },
);

test.each(UNSUPPORTED)(
  'a bucket with versions is rejected if a request for lifecycle rules returns %i',
  async (...response) => {
    responses = { versioning: [200, VERSIONS], lifecycle: response };
    await expect(check()).rejects.toThrow(/S3_BUCKET: has versions/u);
  },
);

test.each([
  ['GetBucketVersioning', { versioning: [400, INVALID] }],
  ['GetBucketLifecycleConfiguration', { versioning: [200, VERSIONS], lifecycle: [400, INVALID] }],
] as const)('the error of a store that rejects %s names this request', async (request, map) => {
  responses = map;
  await expect(check()).rejects.toThrow(`S3 refused: ${request} InvalidArgument 400`);
});

test('an unknown key is rejected with the name of its variable, also by the request for a setting', async () => {
  responses = { versioning: [403, INVALID.replace('InvalidArgument', 'InvalidAccessKeyId')] };
  await expect(check()).rejects.toThrow('S3_ACCESS_KEY_ID: is unknown to the store');
});

test('a bucket with versions is rejected if only the versions of files with a tag are deleted', async () => {
  responses = { versioning: [200, VERSIONS], lifecycle: [200, TAGGED] };
  await expect(check()).rejects.toThrow(/S3_BUCKET: has versions/u);
  responses = { versioning: [200, VERSIONS], lifecycle: [200, TAGGED.replace(/<Tag>.*<\/Tag>/u, '')] };
  await check();
});

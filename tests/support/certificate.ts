import { generateKeyPairSync, sign } from 'node:crypto';

/** Returns a value in the encoding of X.509 certificates (DER): tag, length and content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const SEQUENCE = 0x30;
const SET = 0x31;
/** The object identifier 1.2.840.10045.4.3.2 (ecdsa-with-SHA256). */
const ECDSA_SHA256 = der(SEQUENCE, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
/** The object identifier 2.5.4.3 (common name). */
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'));

const utcTime = (at: Date) =>
  der(
    0x17,
    Buffer.from(
      `${at
        .toISOString()
        .slice(2)
        .replaceAll(/[-:T]|\.\d{3}/gu, '')}`,
    ),
  );

/** Creates a self-signed certificate and its key, in the PEM format. */
export function createCertificate({ from, until }: { readonly from: Date; readonly until: Date }): {
  readonly cert: string;
  readonly key: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from('localhost')))));
  const content = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    der(SEQUENCE, utcTime(from), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const lines = der(SEQUENCE, content, ECDSA_SHA256, signature).toString('base64').replaceAll(/.{64}/gu, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

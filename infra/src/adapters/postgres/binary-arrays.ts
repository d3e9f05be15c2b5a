/**
 * Arrays as parameters in Postgres's binary form. The driver writes an array as text, each element quoted and escaped, which both sides
 * spend more time on than on all the rest of a large statement; a `Buffer` it hands over as it is.
 */

/** Type numbers of Postgres, the same in every version. */
const SMALLINT = 21;
const INTEGER = 23;
const TEXT = 25;
const JSON_TEXT = 114;
const UUID = 2950;

const HEADER_bytes = 20;
const LENGTH_bytes = 4;
const UUID_bytes = 16;

/** `integer[]` */
export const integers = (values: readonly number[]): Buffer => numeric(INTEGER, 4, values);

/** `smallint[]` */
export const smallints = (values: readonly number[]): Buffer => numeric(SMALLINT, 2, values);

/** `uuid[]` of UUIDs in their usual form. */
export function uuids(values: readonly string[]): Buffer {
  const array = begin(UUID, values.length, values.length * UUID_bytes);
  let at = HEADER_bytes;
  for (const value of values) {
    at = array.writeInt32BE(UUID_bytes, at);
    at += array.write(value.replaceAll('-', ''), at, 'hex');
  }
  return array;
}

/** `text[]`, without nulls. */
export const texts = (values: readonly string[]): Buffer => textual(TEXT, values);

/** `json[]` of JSON texts. */
export const jsons = (values: readonly string[]): Buffer => textual(JSON_TEXT, values);

function numeric(type: number, size_bytes: number, values: readonly number[]): Buffer {
  const array = begin(type, values.length, values.length * size_bytes);
  let at = HEADER_bytes;
  for (const value of values) {
    at = array.writeInt32BE(size_bytes, at);
    at = array.writeIntBE(value, at, size_bytes);
  }
  return array;
}

function textual(type: number, values: readonly string[]): Buffer {
  let size_bytes = 0;
  for (const value of values) size_bytes += Buffer.byteLength(value);
  const array = begin(type, values.length, size_bytes);
  let at = HEADER_bytes;
  for (const value of values) {
    const written_bytes = array.write(value, at + LENGTH_bytes);
    array.writeInt32BE(written_bytes, at);
    at += LENGTH_bytes + written_bytes;
  }
  return array;
}

/** One dimension counted from 1, no nulls; the elements take up so many bytes besides their lengths. */
function begin(type: number, count: number, size_bytes: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_bytes + count * LENGTH_bytes + size_bytes);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(0, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(count, 12);
  array.writeInt32BE(1, 16);
  return array;
}

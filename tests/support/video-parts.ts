/** Reads the parts of a video file, so that tests can put other parts between them. */

/** A box of an MP4, a chunk of an AVI or an element of a WebM. It contains either other parts or bytes. */
export interface Part {
  readonly type: string;
  readonly parts: readonly Part[] | null;
  readonly bytes: Buffer;
}

export interface Format {
  /** Returns the parts of a file. */
  parse(file: Buffer): readonly Part[];
  write(parts: readonly Part[]): Buffer;
}

const leaf = (type: string, bytes: Buffer): Part => ({ type, parts: null, bytes });
const container = (type: string, parts: readonly Part[], bytes: Buffer = Buffer.alloc(0)): Part => ({
  type,
  parts,
  bytes,
});

/** Creates a part without other parts. */
export const createPart = leaf;

/** The boxes that contain boxes, with the number of bytes before the first inner box. */
const BOXES: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['moov', 'trak', 'mdia', 'minf', 'stbl', 'dinf'].map((type) => [type, 0])),
  stsd: 8,
  avc1: 78,
};

const iso: Format = {
  parse(file) {
    const parts: Part[] = [];
    for (let at = 0; at < file.length; at += file.readUInt32BE(at)) {
      const type = file.toString('latin1', at + 4, at + 8);
      const content = file.subarray(at + 8, at + file.readUInt32BE(at));
      const skipped = BOXES[type];
      parts.push(
        skipped === undefined
          ? leaf(type, content)
          : container(type, iso.parse(content.subarray(skipped)), content.subarray(0, skipped)),
      );
    }
    return parts;
  },
  write: (parts) =>
    Buffer.concat(
      parts.flatMap(({ type, bytes, parts: inner }) => {
        const body = Buffer.concat([bytes, ...(inner ? [iso.write(inner)] : [])]);
        const head = Buffer.alloc(8);
        head.writeUInt32BE(body.length + 8);
        head.write(type, 4, 'latin1');
        return [head, body];
      }),
    ),
};

const riff: Format = {
  parse(file) {
    const parts: Part[] = [];
    for (let at = 0; at < file.length; ) {
      const type = file.toString('latin1', at, at + 4);
      const size = file.readUInt32LE(at + 4);
      const content = file.subarray(at + 8, at + 8 + size);
      parts.push(
        type === 'RIFF' || type === 'LIST'
          ? container(type, riff.parse(content.subarray(4)), content.subarray(0, 4))
          : leaf(type, content),
      );
      at += 8 + size + (size % 2);
    }
    return parts;
  },
  write: (parts) =>
    Buffer.concat(
      parts.flatMap(({ type, bytes, parts: inner }) => {
        const body = Buffer.concat([bytes, ...(inner ? [riff.write(inner)] : [])]);
        const head = Buffer.alloc(8);
        head.write(type, 'latin1');
        head.writeUInt32LE(body.length, 4);
        return [head, body, Buffer.alloc(body.length % 2)];
      }),
    ),
};

/** The WebM elements that contain elements: header, segment, info, tracks, track, video, cluster. */
const MASTERS = new Set(['1a45dfa3', '18538067', '1549a966', '1654ae6b', 'ae', 'e0', '1f43b675']);
const SIZE_bytes = 8;

const ebml: Format = {
  parse(file) {
    const parts: Part[] = [];
    for (let at = 0; at < file.length; ) {
      const idLength = Math.clz32(file[at] ?? 0) - 23;
      const type = file.toString('hex', at, at + idLength);
      const start = at + idLength + SIZE_bytes;
      const end = start + file.readUInt32BE(start - 4);
      const content = file.subarray(start, end);
      parts.push(MASTERS.has(type) ? container(type, ebml.parse(content)) : leaf(type, content));
      at = end;
    }
    return parts;
  },
  write: (parts) =>
    Buffer.concat(
      parts.flatMap(({ type, bytes, parts: inner }) => {
        const body = inner ? ebml.write(inner) : bytes;
        const size = Buffer.alloc(SIZE_bytes);
        size[0] = 1;
        size.writeUInt32BE(body.length, 4);
        return [Buffer.from(type, 'hex'), size, body];
      }),
    ),
};

export const formats = { iso, riff, ebml };

/** Returns every version of a file in which `extra` is between, before or behind other parts, at any depth. */
export function withPartEverywhere(parts: readonly Part[], extra: Part): readonly (readonly Part[])[] {
  const here = Array.from({ length: parts.length + 1 }, (_, index) => parts.toSpliced(index, 0, extra));
  const deeper = parts.flatMap((part, index) =>
    part.parts
      ? withPartEverywhere(part.parts, extra).map((inner) => parts.with(index, { ...part, parts: inner }))
      : [],
  );
  return [...here, ...deeper];
}

/**
 * Returns every version of a file in which `text` is behind the bytes of one part. `except` is the type of other parts.
 */
export function withTextInEveryPart(
  parts: readonly Part[],
  text: Buffer,
  except: string | null,
): readonly (readonly Part[])[] {
  return parts.flatMap((part, index) => {
    if (part.type === except) return [];
    if (!part.parts) return [parts.with(index, createPart(part.type, Buffer.concat([part.bytes, text])))];
    return withTextInEveryPart(part.parts, text, except).map((inner) => parts.with(index, { ...part, parts: inner }));
  });
}

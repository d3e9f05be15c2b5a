import { open, type FileHandle } from 'node:fs/promises';
import { NotAVideo } from './probe-video.ts';

/** Boxes of MP4 and MOV that hold others. */
const CONTAINERS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'moof', 'traf']);
/**
 * What a player needs beside them. Everything else goes, as cameras and editors write where, by whom and with what a video was made into ever
 * other boxes: `udta`, `meta`, `uuid`, `gps `, their makers' own, and what is called free.
 */
const PLAYED: ReadonlySet<string> = new Set([
  ...['ftyp', 'styp', 'mdat', 'imda', 'sidx', 'ssix', 'mfra'],
  ...['mvhd', 'mvex', 'iods'],
  ...['tkhd', 'tref', 'trgr', 'edts', 'tapt'],
  ...['mdhd', 'hdlr', 'elng', 'vmhd', 'smhd', 'hmhd', 'nmhd', 'sthd', 'gmhd', 'dinf', 'stbl'],
  ...['mfhd', 'tfhd', 'tfdt', 'trun', 'sbgp', 'sgpd', 'subs', 'saiz', 'saio'],
]);
/** A header that is packed, so that nobody sees what it says: QuickTime before 2005. */
const PACKED = 'cmov';

/** Many times more than any video of 20 seconds has. */
const MAX_BOXES = 10_000;
const MAX_DEPTH = 8;
const ZEROS = Buffer.alloc(64 * 1024);

/**
 * Blanks in place whatever of an MP4 or MOV is not there to be played: such a box becomes `free`, its content zeros, so that
 * nothing else in the file moves. Throws `NotAVideo` where boxes do not fit into each other, as in a truncated file.
 */
export async function clearMetadata(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    await clearWithin(handle, { from: 0, to: size }, { left: MAX_BOXES }, 0);
  } finally {
    await handle.close();
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
}

async function clearWithin(
  handle: FileHandle,
  { from, to }: Span,
  boxes: { left: number },
  depth: number,
): Promise<void> {
  for (let at = from; at < to; ) {
    if ((boxes.left -= 1) < 0 || depth > MAX_DEPTH) throw new NotAVideo('a file of too many boxes');
    const box = await boxAt(handle, { from: at, to });
    // What QuickTime ends some of its lists with.
    if (box === null) return;
    if (box.type === PACKED) throw new NotAVideo('a video with a packed header');
    if (CONTAINERS.has(box.type)) await clearWithin(handle, { from: box.content, to: box.end }, boxes, depth + 1);
    else if (!PLAYED.has(box.type)) await blank(handle, at, box);
    at = box.end;
  }
}

interface Box {
  readonly type: string;
  readonly content: number;
  readonly end: number;
}

/** The box that begins `span`; null for the four zero bytes that end a list. */
async function boxAt(handle: FileHandle, { from, to }: Span): Promise<Box | null> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, from);
  if (to - from === 4 && buffer.readUInt32BE(0) === 0) return null;
  const short = buffer.readUInt32BE(0);
  const header = short === 1 ? 16 : 8;
  const size = short === 0 ? to - from : short === 1 ? Number(buffer.readBigUInt64BE(8)) : short;
  if (bytesRead < header || size < header || from + size > to) throw new NotAVideo('a file whose boxes do not fit');
  return { type: buffer.toString('latin1', 4, 8), content: from + header, end: from + size };
}

async function blank(handle: FileHandle, at: number, { content, end }: Box): Promise<void> {
  await handle.write('free', at + 4, 'latin1');
  for (let zeroed = content; zeroed < end; zeroed += ZEROS.length)
    await handle.write(ZEROS, 0, Math.min(ZEROS.length, end - zeroed), zeroed);
}

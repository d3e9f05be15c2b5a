import { open, type FileHandle } from 'node:fs/promises';
import { NotAVideo } from './probe-video.ts';

/** The types of boxes that contain other boxes. MP4 and MOV files consist of boxes. */
const CONTAINERS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'moof', 'traf']);
/**
 * The types of all other boxes that are needed to play an MP4 or MOV file. All remaining boxes of a file are cleared,
 * because many of them contain the location, the author or the device. Examples are `udta`, `meta`, `uuid`, `gps ` and
 * `free`.
 */
const PLAYBACK_BOXES: ReadonlySet<string> = new Set([
  ...['ftyp', 'styp', 'mdat', 'imda', 'sidx', 'ssix', 'mfra'],
  ...['mvhd', 'mvex', 'iods'],
  ...['tkhd', 'tref', 'trgr', 'edts', 'tapt'],
  ...['mdhd', 'hdlr', 'elng', 'vmhd', 'smhd', 'hmhd', 'nmhd', 'sthd', 'gmhd', 'dinf', 'stbl'],
  ...['mfhd', 'tfhd', 'tfdt', 'trun', 'sbgp', 'sgpd', 'subs', 'saiz', 'saio'],
]);
/**
 * The type of a box with a compressed header. Video files with such a box are rejected, because the metadata in the
 * header cannot be cleared.
 */
const COMPRESSED_HEADER = 'cmov';

/** Maximum number of boxes in a video file. A video of 20 seconds contains far fewer. */
const MAX_BOXES = 10_000;
const MAX_DEPTH = 8;
const ZEROS = Buffer.alloc(64 * 1024);

/**
 * Clears the metadata of an MP4 or MOV file, i.e. all boxes that are not needed for playback. The type of a cleared box
 * becomes `free` and its content becomes zeros. The positions of the other boxes in the file do not change. Throws
 * `NotAVideo` if the sizes of the boxes are inconsistent, for example in a truncated file.
 */
export async function clearMetadata(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    await clearSpan(handle, { from: 0, to: size }, { left: MAX_BOXES }, 0);
  } finally {
    await handle.close();
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
}

async function clearSpan(
  handle: FileHandle,
  { from, to }: Span,
  boxes: { left: number },
  depth: number,
): Promise<void> {
  for (let at = from; at < to; ) {
    if ((boxes.left -= 1) < 0 || depth > MAX_DEPTH) throw new NotAVideo('a file with too many boxes');
    const box = await boxAt(handle, { from: at, to });
    // QuickTime marks the end of some lists of boxes with four zero bytes, so no further box follows.
    if (box === null) return;
    if (box.type === COMPRESSED_HEADER) throw new NotAVideo('a video with a compressed header');
    if (CONTAINERS.has(box.type)) await clearSpan(handle, { from: box.content, to: box.end }, boxes, depth + 1);
    else if (!PLAYBACK_BOXES.has(box.type)) await clearBox(handle, at, box);
    at = box.end;
  }
}

interface Box {
  readonly type: string;
  readonly content: number;
  readonly end: number;
}

/**
 * Returns the box at the byte `from`, or null for the four zero bytes that end a list of boxes. Throws `NotAVideo` if
 * the sizes of the boxes are inconsistent.
 */
async function boxAt(handle: FileHandle, { from, to }: Span): Promise<Box | null> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, from);
  if (to - from === 4 && buffer.readUInt32BE(0) === 0) return null;
  const shortSize = buffer.readUInt32BE(0);
  const headerSize = shortSize === 1 ? 16 : 8;
  const size = shortSize === 0 ? to - from : shortSize === 1 ? Number(buffer.readBigUInt64BE(8)) : shortSize;
  if (bytesRead < headerSize || size < headerSize || from + size > to)
    throw new NotAVideo('a file whose boxes do not fit into each other');
  return { type: buffer.toString('latin1', 4, 8), content: from + headerSize, end: from + size };
}

async function clearBox(handle: FileHandle, at: number, { content, end }: Box): Promise<void> {
  await handle.write('free', at + 4, 'latin1');
  for (let zeroed = content; zeroed < end; zeroed += ZEROS.length)
    await handle.write(ZEROS, 0, Math.min(ZEROS.length, end - zeroed), zeroed);
}

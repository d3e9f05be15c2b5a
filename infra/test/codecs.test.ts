import { describe, expect, test } from 'vitest';
import { cleanAvcWithStartCodes, cleanJpeg, cleanMpeg4, createCleaner, requireMp3Frames } from '../decoder/codecs.mjs';
import { RejectedFile } from '../decoder/rejected-file.mjs';

/**
 * The packets and the configurations of video and sound codecs can contain text, such as the place of a recording or
 * the name of a device. Only the parts that a decoder needs are retained.
 */

const TEXT = Buffer.from('AlpenCam +46.5700+007.9800');
const hasText = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).includes('AlpenCam');
const u16 = (value: number) => Buffer.of(value >> 8, value & 0xff);
const u32 = (value: number) => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)]);
/** Returns a unit of H.264 or H.265 after its length of 32 bits. */
const withLength = (unit: Buffer) => Buffer.concat([u32(unit.length), unit]);

describe('H.265', () => {
  const unit = (type: number, content: Buffer) => Buffer.concat([Buffer.of(type << 1, 1), content]);
  const [PICTURE, PARAMETERS, PREFIX_SEI, SUFFIX_SEI, FILLER, UNKNOWN] = [19, 33, 39, 40, 38, 50];
  const array = (type: number, content: Buffer) => {
    const only = unit(type, content);
    return Buffer.concat([Buffer.of(0x80 | type), u16(1), u16(only.length), only]);
  };
  const configuration = Buffer.concat([
    Buffer.alloc(21, 1),
    // Every unit of a packet begins with a length of four bytes. There are two arrays of units.
    Buffer.of(0xff, 2),
    array(PARAMETERS, Buffer.from('sizes')),
    array(PREFIX_SEI, TEXT),
  ]);

  test('retains parameter sets of the configuration and removes supplemental information', () => {
    const { description } = createCleaner('hevc', configuration);
    expect(hasText(configuration)).toBe(true);
    expect(hasText(description)).toBe(false);
    expect(Buffer.from(description ?? [])).toEqual(
      Buffer.concat([Buffer.alloc(21, 1), Buffer.of(0xff, 1), array(PARAMETERS, Buffer.from('sizes'))]),
    );
  });
  test('retains pictures and removes all other units of a packet', () => {
    const { clean } = createCleaner('hevc', configuration);
    const picture = withLength(unit(PICTURE, Buffer.from('the picture')));
    const others = [PREFIX_SEI, SUFFIX_SEI, FILLER, UNKNOWN].map((type) => withLength(unit(type, TEXT)));
    expect(Buffer.from(clean(Buffer.concat([...others, picture, ...others])))).toEqual(picture);
  });
  test.each([
    ['a truncated configuration', () => createCleaner('hevc', configuration.subarray(0, 30))],
    ['a unit that is longer than its packet', () => createCleaner('hevc', configuration).clean(u32(1_000))],
  ])('rejects %s', (_what, read) => expect(read).toThrow(RejectedFile));
});

describe('AV1', () => {
  const { clean } = createCleaner('av1', undefined);
  const [FRAME, METADATA, PADDING] = [6, 5, 15];
  const unit = (type: number, content: Buffer) => Buffer.concat([Buffer.of((type << 3) | 2, content.length), content]);

  test('retains frames and removes metadata and padding', () => {
    const frame = unit(FRAME, Buffer.from('the frame'));
    const packet = Buffer.concat([unit(METADATA, TEXT), frame, unit(PADDING, TEXT)]);
    expect(Buffer.from(clean(packet))).toEqual(frame);
  });
  test('removes a last unit without a length', () => {
    expect(clean(Buffer.concat([Buffer.of(METADATA << 3), TEXT]))).toHaveLength(0);
  });
  test('rejects a unit that is longer than its packet', () => {
    expect(() => clean(Buffer.of((FRAME << 3) | 2, 100, 0))).toThrow(RejectedFile);
    expect(() => clean(Buffer.of((FRAME << 3) | 2, ...Array<number>(9).fill(0xff)))).toThrow(RejectedFile);
  });
});

describe('MP3', () => {
  /** An MPEG 1 layer 3 frame of 32 kbit/s with 32 kHz, which has 144 bytes. */
  const frame = Buffer.concat([Buffer.of(0xff, 0xfb, 0x18, 0xc0), Buffer.alloc(140)]);

  test('accepts frames only', () => {
    const { clean } = createCleaner('mp3', undefined);
    expect(Buffer.from(clean(frame))).toEqual(frame);
    expect(() => clean(Buffer.concat([Buffer.from('ID3'), TEXT]))).toThrow(RejectedFile);
    expect(() => clean(Buffer.concat([Buffer.from('TAG'), TEXT]))).toThrow(RejectedFile);
  });
  test('a stream may end with an incomplete frame', () => {
    expect(() => requireMp3Frames(Buffer.concat([frame, frame, frame.subarray(0, 50)]))).not.toThrow();
  });
  test.each([
    ['before', [TEXT, frame, frame]],
    ['between', [frame, TEXT, frame]],
    ['behind', [frame, frame, TEXT]],
  ])('rejects text %s the frames of a stream', (_place, parts) => {
    expect(() => requireMp3Frames(Buffer.concat(parts))).toThrow(RejectedFile);
  });
});

describe('FLAC', () => {
  const block = (type: number, content: Buffer) =>
    Buffer.concat([Buffer.of(type), u32(content.length).subarray(1), content]);
  const [INFO, COMMENTS] = [0, 4];
  const header = (first: number) =>
    Buffer.concat([Buffer.from('fLaC'), block(first, Buffer.alloc(34, 7)), block(0x80 | COMMENTS, TEXT)]);

  test('retains the stream information and removes comments', () => {
    const { description } = createCleaner('flac', header(INFO));
    expect(hasText(header(INFO))).toBe(true);
    // The first bit of the type states that no other block follows.
    expect(Buffer.from(description ?? [])).toEqual(
      Buffer.concat([Buffer.from('fLaC'), block(0x80 | INFO, Buffer.alloc(34, 7))]),
    );
  });
  test('rejects a header that begins with another block', () => {
    expect(() => createCleaner('flac', header(COMMENTS))).toThrow(RejectedFile);
    expect(() => createCleaner('flac', undefined)).toThrow(RejectedFile);
  });
});

describe('Vorbis', () => {
  const identification = Buffer.concat([Buffer.of(1), Buffer.from('vorbis'), Buffer.alloc(23, 7)]);
  const comments = Buffer.concat([Buffer.of(3), Buffer.from('vorbis'), TEXT]);
  const setup = Buffer.concat([Buffer.of(5), Buffer.from('vorbis'), Buffer.alloc(9, 8)]);
  const headers = Buffer.concat([
    Buffer.of(2, identification.length, comments.length),
    identification,
    comments,
    setup,
  ]);

  test('retains the identification and the setup and removes the comments', () => {
    const { description } = createCleaner('vorbis', headers);
    expect(hasText(headers)).toBe(true);
    expect(hasText(description)).toBe(false);
    const cleaned = Buffer.from(description ?? []);
    expect(cleaned.subarray(3, 33)).toEqual(identification);
    expect(cleaned.subarray(-setup.length)).toEqual(setup);
  });
  test.each([
    ['no headers', undefined],
    ['truncated headers', headers.subarray(0, 40)],
    ['another number of headers', Buffer.concat([Buffer.of(1), headers.subarray(1)])],
  ])('rejects %s', (_what, bytes) => expect(() => createCleaner('vorbis', bytes)).toThrow(RejectedFile));
});

describe('other codecs', () => {
  test('Opus: bytes behind the header are removed', () => {
    const head = Buffer.concat([Buffer.from('OpusHead'), Buffer.of(1, 2), Buffer.alloc(9)]);
    const { description } = createCleaner('opus', Buffer.concat([head, TEXT]));
    expect(Buffer.from(description ?? [])).toEqual(head);
  });
  test('AAC: the configuration has 16 bytes at most', () => {
    expect(createCleaner('aac', Buffer.concat([Buffer.alloc(16), TEXT])).description).toHaveLength(16);
  });
  test('H.264 with start codes: supplemental information is removed', () => {
    const picture = Buffer.concat([Buffer.of(0, 0, 0, 1, 0x65), Buffer.from('the picture')]);
    const information = Buffer.concat([Buffer.of(0, 0, 1, 6), TEXT]);
    expect(Buffer.from(cleanAvcWithStartCodes(Buffer.concat([information, picture, information])))).toEqual(picture);
  });
  test('MPEG-4: user data is removed', () => {
    const frame = Buffer.concat([Buffer.of(0, 0, 1, 0xb6), Buffer.from('the frame')]);
    const userData = Buffer.concat([Buffer.of(0, 0, 1, 0xb2), TEXT]);
    expect(Buffer.from(cleanMpeg4(Buffer.concat([userData, frame, userData])))).toEqual(frame);
  });
  test('motion JPEG: a packet that is not a picture is rejected', () => {
    expect(() => cleanJpeg(TEXT)).toThrow(RejectedFile);
  });
});

/**
 * Returns a string with one character for each UTF-8 byte of a text. The server and its rendering processes exchange
 * such strings, for two reasons. V8 stores a plain text with two bytes per character if even one character is outside
 * of Latin-1, for example an ellipsis. Buffers use memory outside of the heap, and this makes V8 collect garbage more
 * often in the whole server.
 */
export const toByteText = (text: string): string => Buffer.from(text).toString('latin1');

/** Converts a result of `toByteText` to the UTF-8 bytes of the original text. */
export const toBytes = (byteText: string): Buffer<ArrayBuffer> => Buffer.from(byteText, 'latin1');

import type * as z from 'zod/mini';

/**
 * A text of one kind, e.g. the id of a moderation case. Only schemas of stored data, and functions that create or parse
 * texts of this kind, return the type. The compiler therefore rejects any other text.
 */
export type Branded<Name extends string> = string & z.core.$brand<Name>;

import type * as z from 'zod/mini';

/**
 * A text of one kind, e.g. a case id. Only schemas of stored data and functions that create or parse such a text return
 * this type. The compiler therefore rejects any other text.
 */
export type Branded<Name extends string> = string & z.core.$brand<Name>;

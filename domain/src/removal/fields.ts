import * as z from 'zod/mini';
import { email } from '../account/fields.ts';
import { registerBody, registerRequestSchema } from '../api/component.ts';
import { PICTURE_HASH } from '../media/fields.ts';
import { APPEAL_OUTCOMES, FACTS_MAX } from '../moderation/fields.ts';
import { requiredLine, requiredText } from '../text-fields.ts';

/** Removal requests about intimate pictures of a person who has not consented (section 18 of the product rules). */

const HOUR_ms = 60 * 60_000;
const DAY_ms = 24 * HOUR_ms;

/** The time within which a request must be decided and a valid one carried out, from the time of the request. */
export const REMOVAL_DEADLINE_ms = 48 * HOUR_ms;
/**
 * The hours after which staff are warned about an undecided request. The last warning goes to every admin, and leaves
 * time to decide before the deadline.
 */
export const REMOVAL_WARNINGS_h = [24, 40, 44] as const;

/** The time for which the personal data of a closed request is stored, in days. */
export const REMOVAL_RETENTION_days = 365;
/** The same time for a request that was withdrawn. */
export const WITHDRAWN_RETENTION_days = 30;
/**
 * Returns the time at which the personal data of a closed request is erased. Both times are in ISO 8601.
 */
export function removalErasureDue(closedAt: string, isWithdrawn: boolean): string {
  const days = isWithdrawn ? WITHDRAWN_RETENTION_days : REMOVAL_RETENTION_days;
  return new Date(Date.parse(closedAt) + days * DAY_ms).toISOString();
}
/** Returns the end of the time in which a request must be decided. Both times are in ISO 8601. */
export const removalDeadline = (since: string): string =>
  new Date(Date.parse(since) + REMOVAL_DEADLINE_ms).toISOString();

/** The maximum number of links, and of hashes, in one request. */
export const REMOVAL_LINKS_MAX = 50;
export const REMOVAL_LINK_MAX_characters = 2_000;
const NAME_MAX = 100;
const TEXT_MIN = 3;
export const REMOVAL_TEXT_MAX = 2_000;
/** The maximum number of texts that the person can add to a request. */
export const REMOVAL_NOTES_MAX = 20;
/** The maximum number of contents that one request can name. */
export const REMOVAL_SUBJECTS_MAX = 200;

/** The person asks for themselves, or as an authorized person. */
export const REMOVAL_RELATIONS = ['self', 'representative'] as const;
export type RemovalRelation = (typeof REMOVAL_RELATIONS)[number];

export const REMOVAL_OUTCOMES = ['valid', 'rejected'] as const;
export type RemovalOutcome = (typeof REMOVAL_OUTCOMES)[number];

/** The pattern for the id of a removal request in URLs. */
export const REMOVAL_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

const TOO_MANY_LINKS = `Please enter at most ${REMOVAL_LINKS_MAX} links`;
const TOO_MANY_HASHES = `Please choose at most ${REMOVAL_LINKS_MAX} pictures`;
const BAD_LINK = 'Please enter the address of a page or picture';
const BAD_HASH = 'This picture could not be read';
export const NOTHING_NAMED = 'Please enter a link';
/** The number of characters of a link that its error message shows. */
const SHOWN_LINK_MAX_characters = 100;
/** Returns the error message about a link that leads to another site. */
export const foreignLinkMessage = (link: string): string =>
  `This link does not lead to a page or picture of this site: ${link.slice(0, SHOWN_LINK_MAX_characters)}`;
export const TOO_MANY_CONTENTS = `Please name at most ${REMOVAL_SUBJECTS_MAX} pictures, videos, ads or posts`;
export const STATEMENT_MISSING = 'Please confirm the statement';

const link = z
  .string(BAD_LINK)
  .check(z.trim(), z.minLength(1, BAD_LINK), z.maxLength(REMOVAL_LINK_MAX_characters, BAD_LINK));
const hash = z.string(BAD_HASH).check(z.toLowerCase(), z.regex(PICTURE_HASH, BAD_HASH));

/** Request body of `POST /removal-requests`. */
export const newRemovalFields = registerRequestSchema(
  'NewRemovalRequest',
  z
    .object({
      name: requiredLine('Name', NAME_MAX),
      email,
      relation: z.enum(REMOVAL_RELATIONS, 'Please choose for whom you ask'),
      links: z._default(z.array(link, BAD_LINK).check(z.maxLength(REMOVAL_LINKS_MAX, TOO_MANY_LINKS)), []),
      hashes: z._default(z.array(hash, BAD_HASH).check(z.maxLength(REMOVAL_LINKS_MAX, TOO_MANY_HASHES)), []),
      statement: z.literal(true, STATEMENT_MISSING),
      signature: requiredLine('Signature', NAME_MAX),
    })
    .check(
      z.refine(({ links, hashes }) => links.length + hashes.length > 0, { error: NOTHING_NAMED, path: ['links'] }),
    ),
);
export type NewRemoval = z.output<typeof newRemovalFields>;
export type NewRemovalInput = z.input<typeof newRemovalFields>;

const text = requiredText('Text', REMOVAL_TEXT_MAX, TEXT_MIN);

/** Request body of `POST /removal-requests/{id}/notes` and `POST /removal-requests/{id}/appeal`. */
export const removalTextFields = registerBody('RemovalText', { text });

/** The reasons of a decision. The person who has asked and the poster of the content read them. */
const facts = requiredText('Facts', FACTS_MAX, TEXT_MIN);

/** Request body of `POST /admin/moderation/removals/{id}/decide`. */
export const decideRemovalFields = registerBody('DecideRemoval', {
  outcome: z.enum(REMOVAL_OUTCOMES, 'Please choose an outcome'),
  facts,
});

/** Request body of `POST /admin/moderation/removals/{id}/appeal`. */
export const decideRemovalAppealFields = registerBody('DecideRemovalAppeal', {
  outcome: z.enum(APPEAL_OUTCOMES, 'Please choose an outcome'),
  facts,
});

const PASSPHRASE_MIN = 16;
const PASSPHRASE_MAX = 200;
/** Request body of `POST /admin/moderation/removals/{id}/export`. */
export const exportRemovalFields = registerBody('ExportRemoval', {
  passphrase: z
    .string('Please enter a passphrase')
    .check(
      z.minLength(PASSPHRASE_MIN, `The passphrase must have at least ${PASSPHRASE_MIN} characters`),
      z.maxLength(PASSPHRASE_MAX, `The passphrase must have at most ${PASSPHRASE_MAX} characters`),
    ),
});

/**
 * The explanation that a poster receives if a removal request has hidden the poster's content. Front ends show a
 * translation of this text.
 */
export const AUTOMATED_REMOVAL_FACTS =
  'A person asks for the removal of this, because it shows them without their consent. ' +
  'It is hidden until a moderator has decided. You can respond.';

/** The reason that a provider reads if the pictures of an identity check were removed. Front ends translate it. */
export const IDENTITY_COPY_REASON =
  'Your pictures were removed, because a person requests the removal of such a picture. Please send others.';

/** The text about content that is visible again because its removal request was withdrawn. */
export const REMOVAL_WITHDRAWN_FACTS = 'The request to remove this was withdrawn.';

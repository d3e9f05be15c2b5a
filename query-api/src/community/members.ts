import { hideContactDetails, type ThreadCard } from '@alpenglow/domain';

export type MemberView = ThreadCard['author'];

/** The account that sent the request. Some fields of the response depend on this account. Null for a visitor. */
export type Caller = {
  readonly accountId: string;
  /** Time in ISO 8601. What was done earlier with this account id was done by a closed account. */
  readonly registeredAt: string;
  readonly isVerified: boolean;
  readonly isModerator: boolean;
} | null;

/**
 * Checks whether the caller is the author of a post. A new account has the same id as a closed account with the same
 * e-mail address. The caller must therefore have verified the e-mail address.
 */
export function isAuthor(caller: Caller, accountId: string): boolean {
  return caller?.accountId === accountId && caller.isVerified;
}

/**
 * Checks whether the caller has written the post with the current account. A later account with the same e-mail address
 * does not read hidden posts of the closed account.
 */
export function isOwnPost(
  caller: Caller,
  post: { readonly account_id: string; readonly posted_at: Date },
): caller is NonNullable<Caller> {
  return caller !== null && isAuthor(caller, post.account_id) && post.posted_at.toISOString() >= caller.registeredAt;
}

/**
 * Returns the SQL expressions for two columns about a member of the community. They contain the display name, and
 * whether the member is a moderator. `table` is the alias of `rm.accounts`. The name is null if the account is closed
 * or its e-mail address is not verified. `$1` is the e-mail address of the admin in lower case, or null.
 */
export function memberColumns(table: string, of: string): string {
  return `case when ${table}.email_verified then ${table}.display_name end as ${of}_name,
    coalesce(${table}.email_verified and lower(${table}.email) = $1::text, false) as ${of}_is_moderator`;
}

/** Returns the public view of a member. Contact details in the name are hidden. */
export function createMemberView(name: string | null, isModerator: boolean): MemberView {
  return { name: name === null ? null : hideContactDetails(name), isModerator };
}

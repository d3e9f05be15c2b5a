import type { ThreadCard } from '@alpenglow/domain';

export type MemberView = ThreadCard['author'];

/** Who asks, of what depends on it; null for a visitor. */
export type Asker = { readonly accountId: string; readonly isVerified: boolean; readonly isModerator: boolean } | null;

/** Whether the asker wrote it: whoever signs up again with the address of a closed account has its id, and no more before their code. */
export function isAuthor(asker: Asker, accountId: string): boolean {
  return asker?.accountId === accountId && asker.isVerified;
}

/**
 * What a member is read from: columns of `rm.accounts` under this name, which has no row for somebody who is no member any more; a name that was not verified is not shown. `$1` is
 * the admin's e-mail in lower case, or null.
 */
export function memberColumns(table: string, of: string): string {
  return `case when ${table}.email_verified then ${table}.display_name end as ${of}_name, coalesce(${table}.email_verified and lower(${table}.email) = $1::text, false) as ${of}_is_moderator`;
}

export function memberOf(name: string | null, isModerator: boolean): MemberView {
  return { name, isModerator };
}

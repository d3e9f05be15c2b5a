import type { ThreadCard } from '@alpenglow/domain';

export type MemberView = ThreadCard['author'];

/** The caller of a request, on whom the content of the response depends. Null for a visitor. */
export type Caller = { readonly accountId: string; readonly isVerified: boolean; readonly isModerator: boolean } | null;

/**
 * Checks whether the caller is the author. A new account with the address of a closed account has the same id. The
 * caller must therefore have verified the address.
 */
export function isAuthor(caller: Caller, accountId: string): boolean {
  return caller?.accountId === accountId && caller.isVerified;
}

/**
 * Returns the SQL of the columns with the name of a member and whether the member is a moderator. `table` is the alias
 * of `rm.accounts`. The name is null if the account is closed or not verified. `$1` is the e-mail address of the admin
 * in lower case, or null.
 */
export function memberColumns(table: string, of: string): string {
  return `case when ${table}.email_verified then ${table}.display_name end as ${of}_name,
    coalesce(${table}.email_verified and lower(${table}.email) = $1::text, false) as ${of}_is_moderator`;
}

export function createMemberView(name: string | null, isModerator: boolean): MemberView {
  return { name, isModerator };
}

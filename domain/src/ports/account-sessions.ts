/** The operations on the sessions of an account that are needed to close it. */
export interface AccountSessions {
  /** Returns the ids of the sessions of an account. */
  findIds(accountId: string): Promise<readonly string[]>;
  revokeByIds(sessionIds: readonly string[]): Promise<void>;
  revokeAll(accountId: string): Promise<void>;
  /** Ends the sessions of an account that were opened with an earlier password. */
  revokeEarlier(accountId: string, passwordVersion: number): Promise<void>;
}

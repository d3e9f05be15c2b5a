import { VERIFICATION_MAX_ATTEMPTS, type VerificationCodeView } from '@alpenglow/domain';
import { ACCOUNTS, VERIFICATION_CODES, type SelectedRow } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createPage, type PageQuery } from '../paging.ts';

export type CodeReader = ReturnType<typeof createCodeReader>;

const CODE = VERIFICATION_CODES.select(['account_id', 'issuance_id', 'issued_at', 'expires_at', 'failures'], 'v');
const OWNER = ACCOUNTS.select(['email'], 'a');
type CodeRow = SelectedRow<typeof CODE> & SelectedRow<typeof OWNER>;

/** The SQL query that finds the valid verification codes. `$1` is the maximum number of failed attempts. */
const OPEN_CODES = `select ${CODE}, ${OWNER}
  from ${VERIFICATION_CODES.table} v join ${ACCOUNTS.table} a using (account_id)
  where v.expires_at > now() and v.failures < $1`;

/** Creates an object that reads the valid verification codes for admins. */
export function createCodeReader({
  pool,
  createVerificationCode,
  exposeCodes,
}: Dependencies<'pool' | 'createVerificationCode' | 'exposeCodes'>) {
  const createView = (row: CodeRow): VerificationCodeView => ({
    userId: row.account_id,
    email: row.email,
    issuedAt: row.issued_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    attemptsLeft: VERIFICATION_MAX_ATTEMPTS - row.failures,
    code: exposeCodes ? createVerificationCode(row.issuance_id) : null,
  });

  return {
    /** Returns the valid verification code of one user, or null if there is none. */
    async findByUser(accountId: string): Promise<VerificationCodeView | null> {
      const { rows } = await pool.query<CodeRow>({
        name: 'admin-code',
        text: `${OPEN_CODES} and v.account_id = $2`,
        values: [VERIFICATION_MAX_ATTEMPTS, accountId],
      });
      return rows[0] ? createView(rows[0]) : null;
    },
    /**
     * Lists the valid verification codes, the newest first. The list includes the codes of stand-in accounts, which are
     * never accepted. A stand-in account replaces a repeated sign-up, so that the response does not show that the
     * e-mail address already has an account (decision 0022).
     */
    async list({ after, limit }: PageQuery) {
      const { rows } = await pool.query<CodeRow>(
        `${OPEN_CODES} and ($2::timestamptz is null or (v.issued_at, v.account_id) < ($2, $3))
         order by v.issued_at desc, v.account_id desc limit $4`,
        [VERIFICATION_MAX_ATTEMPTS, after?.key ?? null, after?.id ?? null, limit + 1],
      );
      const page = createPage(rows, limit, (row) => [row.issued_at, row.account_id]);
      return { codes: page.rows.map(createView), nextCursor: page.nextCursor };
    },
  };
}

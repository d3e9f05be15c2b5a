import { VERIFICATION_MAX_ATTEMPTS, type VerificationCodeOf, type VerificationCodeView } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { pageOf, type PageQuery } from './page-query.ts';

export interface CodePage {
  readonly codes: readonly VerificationCodeView[];
  readonly nextCursor: string | null;
}

export interface CodeReader {
  /** The verification codes that can still be entered, the one issued last first. Those of stand-ins (decision 0022) can never be right. */
  list(query: Pick<PageQuery, 'after' | 'limit'>): Promise<CodePage>;
  /** That of one user; null where they have none that can still be entered. */
  ofUser(accountId: string): Promise<VerificationCodeView | null>;
}

interface CodeRow {
  readonly account_id: string;
  readonly email: string;
  readonly issuance_id: string;
  readonly issued_at: Date;
  readonly expires_at: Date;
  readonly failures: number;
}

export interface CodeReaderDependencies {
  readonly pool: Pool;
  readonly codeOf: VerificationCodeOf;
  /** Whether codes are told at all (product decisions, "Verification codes and e-mail"). */
  readonly exposeCodes: boolean;
}

/** `$1` is how often a code may be entered wrong. */
const OPEN_CODES =
  'select v.*, a.email from rm.verification_codes v join rm.accounts a using (account_id) where v.expires_at > now() and v.failures < $1';

/** Reads open verification codes as admins see them. */
export function createCodeReader({ pool, codeOf, exposeCodes }: CodeReaderDependencies): CodeReader {
  const viewOf = (row: CodeRow): VerificationCodeView => ({
    userId: row.account_id,
    email: row.email,
    issuedAt: row.issued_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    attemptsLeft: VERIFICATION_MAX_ATTEMPTS - row.failures,
    code: exposeCodes ? codeOf(row.issuance_id) : null,
  });

  return {
    async ofUser(accountId) {
      const { rows } = await pool.query<CodeRow>({
        name: 'admin-code',
        text: `${OPEN_CODES} and v.account_id = $2`,
        values: [VERIFICATION_MAX_ATTEMPTS, accountId],
      });
      return rows[0] ? viewOf(rows[0]) : null;
    },
    async list({ after, limit }) {
      const { rows } = await pool.query<CodeRow>(
        `${OPEN_CODES} and ($2::timestamptz is null or (v.issued_at, v.account_id) < ($2, $3))
         order by v.issued_at desc, v.account_id desc limit $4`,
        [VERIFICATION_MAX_ATTEMPTS, after?.at ?? null, after?.id ?? null, limit + 1],
      );
      const page = pageOf(rows, limit, (row) => ({ at: row.issued_at.toISOString(), id: row.account_id }));
      return { codes: page.rows.map(viewOf), nextCursor: page.nextCursor };
    },
  };
}

/**
 * The name of the background task that retries and removes jobs when admins request this, and of its checkpoint
 * (decision 0049).
 */
export const JOB_MOVES = 'reactor-job-moves';

/** The name of the duty that retries and removes jobs as admins ask, and of its checkpoint (decision 0049). */
export const JOB_MOVES = 'reactor-job-moves';

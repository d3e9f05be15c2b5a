/** The duty (background work) that retries and removes jobs for admins, and its checkpoint (decision 0049). */
export const JOB_MOVES = 'reactor-job-moves';

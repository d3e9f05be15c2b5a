import { registerFailureHooks } from './test-failures.ts';

// The error message of a browser test rarely shows the cause. Failed tests therefore save their pages, consoles and
// server logs.
registerFailureHooks();

import { recordFailures } from './test-failures.ts';

// The message of a failed browser test rarely shows the cause: its pages, consoles and server logs are saved.
recordFailures();

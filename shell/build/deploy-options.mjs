// @ts-check
/** The options of the command lines that deploy a build: `deploy.mjs` and `front-ends` of the image. */

/** The options for `parseArgs` of Node. */
export const KIND_OPTIONS = /** @type {const} */ ({
  ahead: { type: 'boolean' },
  preview: { type: 'boolean' },
  canary: { type: 'string' },
  auto: { type: 'boolean' },
  force: { type: 'boolean' },
});

/**
 * @typedef {{ ahead?: boolean | undefined, preview?: boolean | undefined, canary?: string | undefined,
 * auto?: boolean | undefined, force?: boolean | undefined }} KindValues
 */

/**
 * Returns how a build is deployed.
 * @param {KindValues} values
 * @returns {Pick<import('./registry.mjs').DeployOptions, 'isAhead' | 'isPreview' | 'canaryPercent' | 'isAutomatic' |
 * 'isForced' | 'endsCanary'>}
 * @throws {Error} if the options contradict each other, or if the share is no number
 */
export function toKind({ ahead = false, preview = false, canary, auto = false, force = false }) {
  if (preview && canary !== undefined) throw new Error('A build is either a preview or a canary');
  if (canary !== undefined && !/^\d{1,3}$/u.test(canary))
    throw new Error(`--canary ${canary}: name a percentage, e.g. 5`);
  if (auto && canary === undefined) throw new Error('--auto needs --canary with a percentage');
  // A canary for all browsers is live.
  const isAll = Number(canary) === 100;
  return {
    isAhead: ahead,
    isPreview: preview,
    ...(force && { isForced: true }),
    ...(isAll && { endsCanary: true }),
    ...(canary !== undefined && !isAll && { canaryPercent: Number(canary), isAutomatic: auto }),
  };
}

/**
 * Returns the arguments with these options.
 * @param {KindValues} values
 */
export const toFlags = ({ ahead, preview, canary, auto, force }) => [
  ...(ahead ? ['--ahead'] : []),
  ...(preview ? ['--preview'] : []),
  ...(canary === undefined ? [] : ['--canary', canary]),
  ...(auto ? ['--auto'] : []),
  ...(force ? ['--force'] : []),
];

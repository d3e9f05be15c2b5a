import type { KnownImageChecker } from '@alpenglow/domain';

/** The checker of an installation whose lists contain no picture. It allows every photo. */
export const noPictureLists: KnownImageChecker = { check: () => Promise.resolve('allowed') };

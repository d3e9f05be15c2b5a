/**
 * Removes the web storage that Node has from version 25 on, so that pages are rendered the same with every version. The
 * storage would be shared by all visitors, and Node prints a warning when a page reads `localStorage`. This module must
 * be imported first, because other modules read the storage when they are loaded.
 */
for (const name of ['localStorage', 'sessionStorage']) Reflect.deleteProperty(globalThis, name);

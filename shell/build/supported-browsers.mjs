// @ts-check
/**
 * The supported browsers (F-45), and a check that finds what one of them lacks. The check runs on the sources (the lint
 * rule `supported-browsers`) and on the built scripts, which also contain the packages that front ends use.
 */
import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parse } from 'acorn';
import browserslist from 'browserslist';
import { BROWSERS } from './packages.mjs';

const require = createRequire(import.meta.url);

/**
 * @typedef {{ type: string, parent?: Node | null, [member: string]: any }} Node   a node of a syntax tree
 * in the ESTree format
 *
 * @typedef {object} Unsupported
 * @property {ReadonlySet<string>} globals   names of functions, classes and objects
 * @property {ReadonlySet<string>} statics   members of global objects, e.g. `Object.groupBy`
 * @property {ReadonlySet<string>} methods   members of objects of the language, e.g. `toSorted`
 * @property {ReadonlySet<string>} calls   methods of elements, the document and the window, e.g. `checkVisibility`
 */

/** The names of browsers in browserslist, and those in the compatibility data. */
const DATA_NAMES = { chrome: 'chrome', edge: 'edge', firefox: 'firefox', safari: 'safari', ios_saf: 'safari_ios' };

/** The browser objects whose methods are checked by name. Method names of other objects are too common. */
const ELEMENTS = /^(?:HTML\w*Element|Element|Node|Document|Navigator|Window)$/u;

/** @returns {readonly (readonly [name: string, version: number])[]} */
function oldestVersions() {
  const versions = browserslist(BROWSERS).map((browser) => browser.split(' '));
  return Object.entries(DATA_NAMES).map(([name, dataName]) => [
    dataName,
    Math.min(...versions.filter(([found]) => found === name).map(([, version]) => Number.parseFloat(version ?? ''))),
  ]);
}

/**
 * Reads the compatibility data of MDN.
 * @returns {Unsupported}
 */
function readUnsupported() {
  /** @type {any} */
  const data = require('@mdn/browser-compat-data');
  const oldest = oldestVersions();
  /** @param {any} compat */
  const isSupported = ({ __compat: compat }) =>
    !compat ||
    oldest.every(([browser, version]) =>
      [compat.support[browser] ?? []]
        .flat()
        .some(({ version_added: added, flags, prefix, alternative_name: other }) => {
          const since =
            typeof added === 'string' ? Number.parseFloat(added.replace('≤', '')) : Number.POSITIVE_INFINITY;
          return !flags && !prefix && !other && since <= version;
        }),
    );
  const { builtins } = data.javascript;
  const globals = new Set();
  const statics = new Set();
  const known = new Set();
  const methods = new Set();
  const calls = new Set();
  for (const [objects, members] of [
    [builtins, methods],
    [data.api, calls],
  ])
    for (const [object, value] of Object.entries(objects)) {
      if (object === '__compat') continue;
      if (!isSupported(value)) globals.add(object);
      for (const [entry, compat] of Object.entries(value)) {
        const name = entry.replace(/_static$/u, '');
        if (!/^\w+$/u.test(name) || name === '__compat' || name === object) continue;
        if (isSupported(compat) && isSupported(value)) known.add(name);
        else {
          statics.add(`${object}.${name}`);
          if (entry === name && (members === methods || ELEMENTS.test(object))) members.add(name);
        }
      }
    }
  // A name that another object supports is not reported, because the check does not know the types of objects.
  for (const name of [...known, ...OTHER_MEANINGS]) {
    methods.delete(name);
    calls.delete(name);
  }
  return { globals, statics, methods, calls };
}

/** Names that the packages of front ends also use for other things, e.g. React for its function `use`. */
const OTHER_MEANINGS = ['use'];

/** @type {Unsupported | undefined} */
let unsupported;

/** @param {Node | null | undefined} node */
const isMember = (node) => node?.type === 'MemberExpression';

/** Returns the name of a member, or null if it is computed. @param {Node} node @returns {string | null} */
const memberName = ({ property, computed }) =>
  computed ? null : property.type === 'Identifier' ? property.name : null;

/**
 * Returns functions for the nodes of a syntax tree, whose nodes know their parents. A use is not reported if the file
 * checks for the feature anywhere: `'name' in object`, `typeof name`, or an optional call. All uses are therefore
 * reported at the end of the file.
 * @param {(node: Node, name: string) => void} report
 * @returns {Record<string, (node: Node) => void>}
 */
export function createFeatureVisitor(report) {
  const { globals, statics, methods, calls } = (unsupported ??= readUnsupported());
  /** @type {{ node: Node, feature: string, owner: string | null, isOfModule?: ReadonlySet<string> }[]} */
  const uses = [];
  const checked = new Set();
  const declared = new Set();
  const imported = new Set();
  /** @param {Node} node @param {string} text */
  const checkPattern = (node, text) => {
    if (/\(\?<[=!]/u.test(text)) uses.push({ node, feature: 'lookbehind in a regular expression', owner: null });
    if (/\(\?[ims]+(?:-[ims]*)?:/u.test(text))
      uses.push({ node, feature: 'modifiers in a regular expression', owner: null });
    // `sizes` and `matchMedia` are texts, so nothing converts them as in style sheets.
    if (/\((?:width|height)\s*[<>]/u.test(text)) uses.push({ node, feature: 'range in a media query', owner: null });
  };
  /** @param {Node} node */
  const addGlobal = (node) => {
    if (node.type === 'Identifier' && globals.has(node.name))
      uses.push({ node, feature: node.name, owner: node.name, isOfModule: declared });
  };
  return {
    MemberExpression(node) {
      const name = memberName(node);
      if (name === null) return;
      const { object, parent } = node;
      const isCalled = parent?.type === 'CallExpression' && parent.callee === node;
      if (isCalled && parent.optional) return void checked.add(name);
      const isGlobal = object.type === 'Identifier';
      if (isGlobal && statics.has(`${object.name}.${name}`))
        uses.push({ node, feature: `${object.name}.${name}`, owner: object.name, isOfModule: declared });
      else if (methods.has(name) ? isCalled : isCalled && calls.has(name))
        uses.push({ node, feature: name, owner: isGlobal ? object.name : null, isOfModule: imported });
      if (isGlobal) addGlobal(object);
      if (object.name === 'globalThis') checked.add(name);
    },
    CallExpression: ({ callee }) => addGlobal(callee),
    NewExpression: ({ callee }) => addGlobal(callee),
    UnaryExpression({ operator, argument }) {
      if (operator !== 'typeof') return;
      checked.add(isMember(argument) ? memberName(argument) : argument.name);
    },
    BinaryExpression({ operator, left }) {
      if (operator === 'in' && left.type === 'Literal') checked.add(left.value);
    },
    VariableDeclarator({ id, init }) {
      declared.add(id.name);
      // In a bundle, a call whose argument is a number imports a module.
      if (init?.type === 'CallExpression' && typeof init.arguments[0]?.value === 'number') imported.add(id.name);
    },
    FunctionDeclaration: ({ id }) => void declared.add(id?.name),
    ImportSpecifier({ local }) {
      declared.add(local.name);
      imported.add(local.name);
    },
    ImportNamespaceSpecifier({ local }) {
      declared.add(local.name);
      imported.add(local.name);
    },
    Literal(node) {
      if (node.regex) {
        checkPattern(node, node.regex.pattern);
        if (node.regex.flags.includes('v')) uses.push({ node, feature: 'flag v of a regular expression', owner: null });
      } else if (typeof node.value === 'string') checkPattern(node, node.value);
    },
    TemplateElement: (node) => checkPattern(node, node.value.raw),
    'Program:exit'() {
      for (const { node, feature, owner, isOfModule } of uses) {
        const name = feature.split('.').at(-1);
        if (!checked.has(name) && !(owner !== null && isOfModule?.has(owner))) report(node, feature);
      }
    },
  };
}

/**
 * Returns what the scripts of a build need and a supported browser lacks, one line for each file and feature.
 * @param {string} dir   the folder of the files for browsers
 * @returns {Promise<readonly string[]>}
 */
export async function findUnsupportedFeatures(dir) {
  const files = (await readdir(dir, { recursive: true })).filter((file) => file.endsWith('.js')).sort();
  const problems = await Promise.all(
    files.map(async (file) => {
      const features = new Set();
      const visitor = createFeatureVisitor((_, feature) => features.add(feature));
      visit(parse(await readFile(path.join(dir, file), 'utf8'), { ecmaVersion: 2022, sourceType: 'module' }), visitor);
      return [...features].map((feature) => `${path.basename(file)}: ${feature}`);
    }),
  );
  return problems.flat();
}

/**
 * Calls the functions of a visitor for a node and everything below it.
 * @param {Node} node
 * @param {ReturnType<typeof createFeatureVisitor>} visitor
 * @param {Node | null} parent
 */
function visit(node, visitor, parent = null) {
  node.parent = parent;
  visitor[node.type]?.(node);
  for (const [name, child] of Object.entries(node))
    if (name !== 'parent')
      for (const one of [child].flat()) if (typeof one?.type === 'string') visit(one, visitor, node);
  visitor[`${node.type}:exit`]?.(node);
}

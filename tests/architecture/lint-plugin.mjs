// @ts-check
import { createFeatureVisitor } from '../../shell/build/supported-browsers.mjs';

/**
 * Lint rules of this repository, which oxlint.config.mjs adds to the rules of the linter.
 *
 * @typedef {{ type: string, name?: string }} Node
 * @typedef {Node & { callee: Node, arguments: readonly Node[] }} NewExpression
 * @typedef {Node & { id: Node, init: Node | null }} VariableDeclarator
 * @typedef {Node & { left: Node, right: Node }} AssignmentExpression
 * @typedef {{ options: readonly unknown[], report(problem: { node: Node, message: string }): void }} Context
 */

const noEnum = {
  /** @param {Context} context */
  create: (context) => ({
    /** @param {Node} node */
    TSEnumDeclaration: (node) => context.report({ node, message: 'Use a union of literals.' }),
  }),
};

/** Forbids `new Date()` without arguments. The option of the rule is the message that it reports. */
const noClock = {
  meta: { schema: [{ type: 'string' }] },
  /** @param {Context} context */
  create: (context) => ({
    /** @param {NewExpression} node */
    NewExpression(node) {
      if (node.callee.name === 'Date' && node.arguments.length === 0)
        context.report({ node, message: String(context.options[0]) });
    },
  }),
};

/**
 * Forbids aliases of `this` in JavaScript files. The linter supports `typescript/no-this-alias` only for TypeScript.
 */
const noThisAlias = {
  /** @param {Context} context */
  create(context) {
    /** @param {Node} name  @param {Node | null} value */
    const check = (name, value) => {
      if (value?.type === 'ThisExpression' && name.type === 'Identifier')
        context.report({ node: name, message: 'Use `this`, in an arrow function if necessary.' });
    };
    return {
      /** @param {VariableDeclarator} node */
      VariableDeclarator: ({ id, init }) => check(id, init),
      /** @param {AssignmentExpression} node */
      AssignmentExpression: ({ left, right }) => check(left, right),
    };
  },
};

/** Forbids features that a supported browser lacks (F-45), unless the file checks for them. */
const supportedBrowsers = {
  /** @param {Context} context */
  create: (context) =>
    createFeatureVisitor((node, feature) =>
      context.report({ node, message: `Not every supported browser has this: ${feature}.` }),
    ),
};

export default {
  meta: { name: 'alpenglow' },
  rules: {
    'no-enum': noEnum,
    'no-clock': noClock,
    'no-this-alias': noThisAlias,
    'supported-browsers': supportedBrowsers,
  },
};

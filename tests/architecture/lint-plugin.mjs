/**
 * Lint rules of this repository that the linter does not bring along (oxlint.config.mjs).
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

/** `new Date()` without arguments. The option says what to do instead. */
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

/** `typescript/no-this-alias` for scripts, which the linter asks of TypeScript only. */
const noThisAlias = {
  /** @param {Context} context */
  create(context) {
    /** @param {Node} name  @param {Node | null} value */
    const check = (name, value) => {
      if (value?.type === 'ThisExpression' && name.type === 'Identifier')
        context.report({ node: name, message: 'Use `this`, in an arrow function if need be.' });
    };
    return {
      /** @param {VariableDeclarator} node */
      VariableDeclarator: ({ id, init }) => check(id, init),
      /** @param {AssignmentExpression} node */
      AssignmentExpression: ({ left, right }) => check(left, right),
    };
  },
};

export default {
  meta: { name: 'alpenglow' },
  rules: { 'no-enum': noEnum, 'no-clock': noClock, 'no-this-alias': noThisAlias },
};

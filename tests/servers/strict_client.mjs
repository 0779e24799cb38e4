// A client on the official TypeScript SDK: it lists all tools and makes the calls of a recording, one after another.
//
//     node strict_client.mjs RECORDING.json NAME COMMAND…
//
// On stdout, as one JSON document: the tools as they were shown, and for each call its result, or the SDK's error.

import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";

const [recording, name, command, ...args] = process.argv.slice(2);
const { calls } = JSON.parse(readFileSync(recording, "utf8"));
const client = new Client({ name, version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));

// The SDK knows the schemas of the page that it listed last. Those of the others are checked with its validator.
const validator = new AjvJsonSchemaValidator();
const schemas = new Map();
const tools = [];
let cursor;
do {
  const page = await client.listTools(cursor === undefined ? {} : { cursor });
  tools.push(...page.tools);
  cursor = page.nextCursor;
} while (cursor !== undefined);
for (const tool of tools) {
  if (tool.outputSchema) schemas.set(tool.name, validator.getValidator(tool.outputSchema));
}

const answers = [];
for (const { tool, arguments: given } of calls) {
  try {
    const result = await client.callTool({ name: tool, arguments: given });
    const check = schemas.get(tool);
    if (check && !result.isError) {
      if (!result.structuredContent) throw new Error("no structured content for a tool with an output schema");
      const checked = check(result.structuredContent);
      if (!checked.valid) throw new Error(`not valid: ${checked.errorMessage}`);
    }
    answers.push({ result });
  } catch (error) {
    answers.push({ error: error.message });
  }
}
await new Promise((written) => process.stdout.write(JSON.stringify({ tools, answers }), written));
await client.close();

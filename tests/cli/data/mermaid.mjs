// Reads a chart from standard input and prints the nodes that Mermaid makes of it, and its edges.
import { JSDOM } from "jsdom";
const { window } = new JSDOM("");
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import("mermaid");
let text = "";
for await (const part of process.stdin) text += part;
await mermaid.parse(text);
const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
// Mermaid keeps entities aside in its own letters until it draws.
const shown = (label) => label.replace(/ﬂ°°/g, "&#").replace(/ﬂ°/g, "&").replace(/¶ß/g, ";");
const groups = db.getSubGraphs().map((group) => [group.id, shown(group.title)]);
const nodes = [...db.getVertices().values()].map((node) => [node.id, shown(node.text)]);
const edges = db.getEdges().map((edge) => [edge.start, edge.end, shown(edge.text)]);
console.log(JSON.stringify({ nodes: Object.fromEntries([...nodes, ...groups]), edges }));

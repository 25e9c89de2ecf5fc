// Manifests of made-up VS Code extensions, as files for startGateway({files}).
export const tool = (name, more = {}) => ({
  name,
  displayName: `Display ${name}`,
  modelDescription: `Does ${name}`,
  ...more
});

// A tool that prompts may refer to.
export const referable = (name, toolReferenceName, more = {}) =>
    tool(name, {toolReferenceName, canBeReferencedInPrompt: true, ...more});

export const manifest = (id, languageModelTools, more = {}) => ({
  publisher: id.split('.')[0],
  name: id.split('.')[1],
  displayName: id,
  version: '1.0.0',
  contributes: {languageModelTools},
  ...more
});

export const extensionFile = (id) => `.config/toolgate/extensions/${id}/package.json`;

export const extensionFiles = (...manifests) => Object.fromEntries(
    manifests.map((one) => [extensionFile(`${one.publisher}.${one.name}`), one]));

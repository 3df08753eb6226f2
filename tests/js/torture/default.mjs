export default function () { return arguments.length || 'none'; }

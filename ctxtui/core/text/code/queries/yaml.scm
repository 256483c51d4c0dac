(document (block_node (block_mapping
  (block_mapping_pair key: (_) @name value: (block_node [(block_mapping) (block_sequence)]) @body) @key)))
(block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (_) @name value: (block_node [(block_mapping) (block_sequence)]) @body) @key)))
(comment) @comment
(block_mapping (block_mapping_pair) @field)
